"""The model room: everything that computes on text and numbers, from term matching to fine-tuning.

Enters: sentences, labels, embeddings and settings, as plain Python values and numpy arrays. Leaves: scores, rankings,
estimates and trained weights, as arrays and as files in a folder that the caller names. The modules that need torch are
few, so that pages and commands can use the others without waiting for it. Grouped by the words of `annotate/`.
"""

import os

# Read when torch loads OpenMP. Waiting threads that spin keep a busy machine's cores from the work. Next to one other
# busy process on two cores, encoding ran 1.8 times as fast with passive waiting (356 against 197 sentences a second).
# Alone it was as fast (642 against 636).
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

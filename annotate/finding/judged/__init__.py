"""Collections with judgements: read, searched and screened, to tell how good the stages are.

In: files of documents, questions and judgements. Out: measures by question, what each stage adds, files of runs.
"""

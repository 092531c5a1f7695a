"""How the steps of a training run on a machine: prepared ahead, in parts where memory is small, shared by its GPUs, few
weights learnt.

In: an encoder and its steps. Out: gradients. May import the modules of `model/training/`.
"""

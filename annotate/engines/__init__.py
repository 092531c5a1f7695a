"""Where work on many inputs is done: in this process, or in the processes of a cluster.

In: a `Work`, which is a function of its input alone, and a stream of inputs. Out: what was made of them, as a stream,
to the one process that stores it.
"""

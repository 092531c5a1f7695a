"""Where work on many inputs is done: in this process, or in the processes of a cluster.

In: a `Work`, whose result depends on nothing but its input, and a stream of inputs. Out: what was made of them, as a
stream, to the one process that stores it."""

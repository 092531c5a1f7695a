"""The engine that is there always: this process."""

from collections.abc import Callable, Iterable, Iterator

from annotate.engines.engine import Given, Made, Work


class Here:
    """Does one input after the other in this process."""

    here = True

    def map(
        self,
        work: Work[Given, Made],
        inputs: Iterable[Given],
        cancelled: Callable[[], bool] = lambda: False,
        *,
        ordered: bool = True,
    ) -> Iterator[Made]:
        """The results of the work for each input, as `Engine.map`; `cancelled` is asked between two inputs."""
        waiting = iter(inputs)
        while not cancelled():
            try:
                given = next(waiting)
            except StopIteration:
                return
            yield from work(given)


HERE = Here()

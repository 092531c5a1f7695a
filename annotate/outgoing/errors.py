"""Errors of requests to other addresses."""


class NotSent(RuntimeError):
    """No answer came, or the request was not even sent; the message says why.

    `again`: another try may help. `free`: nothing was sent.
    """

    def __init__(self, message: str, *, again: bool = False, free: bool = False) -> None:
        super().__init__(message)
        self.again = again
        self.free = free

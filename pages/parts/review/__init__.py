"""Parts of the pages Review, Queue and Progress: the reader with its scripts, the queue's tables, the figures."""

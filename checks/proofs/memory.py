# Memory of proved functions: places, slices that share them, and iterators.
from values import NONE, Int, Some


class Cell:
    """A place in memory."""

    def __init__(self, value):
        self.value = value

    def get(self):
        return self.value

    def set(self, value):
        self.value = value


class Slice:
    """A part of an array. Parts of one array share its places."""

    def __init__(self, values):
        self.cells = [value if isinstance(value, Cell) else Cell(value) for value in values]

    @staticmethod
    def of(cells):
        slice = Slice([])
        slice.cells = list(cells)
        return slice

    def is_empty(self):
        return not self.cells

    def split_at_checked(self, at):
        """Of an empty slice, the only one that is split at a number that is not known."""
        assert not self.cells
        return Some((self, self)) if Int.paths.choose(at.bits == 0) else NONE

    def items(self):
        return [cell.value for cell in self.cells]

    def len(self):
        return len(self.cells)

    def split_at(self, at):
        return Slice.of(self.cells[:at]), Slice.of(self.cells[at:])

    split_at_mut = split_at

    def get(self, at):
        if isinstance(at, tuple):
            start, end = at[0] or 0, len(self.cells) if at[1] is None else at[1]
            return Some(Slice.of(self.cells[start:end])) if start <= end <= len(self.cells) else NONE
        return Some(self.cells[at]) if 0 <= at < len(self.cells) else NONE

    get_mut = get

    def copy_from_slice(self, other):
        assert len(self.cells) == len(other.cells), "copy_from_slice would panic"
        for to, value in zip(self.cells, other.items()):
            to.value = value

    def as_chunks(self, size):
        whole = len(self.cells) // size * size
        return Slice([Slice.of(self.cells[i : i + size]) for i in range(0, whole, size)]), Slice.of(self.cells[whole:])

    def iter(self):
        return Iterator([cell.value if isinstance(cell.value, Slice) else cell for cell in self.cells])

    iter_mut = iter

    def into_iter(self):
        return Iterator(self.items())

    def last(self):
        return Some(self.cells[-1]) if self.cells else NONE

    def split_first(self):
        return Some((self.cells[0], Slice.of(self.cells[1:]))) if self.cells else NONE

    def each_ref(self):
        return self

    def map(self, change):
        return Slice([change(cell) for cell in self.cells])


class Iterator:
    def __init__(self, items):
        self.items = list(items)

    def next(self):
        return Some(self.items.pop(0)) if self.items else NONE

    def zip(self, others):
        return Iterator(zip(self.items, list(items(others))))

    def enumerate(self):
        return Iterator(enumerate(self.items))

    def map(self, change):
        return Iterator([change(item) for item in self.items])

    def chain(self, others):
        return Iterator(self.items + list(items(others)))

    def filter(self, test):
        return Iterator([item for item in self.items if Int.paths.choose(test(item))])


def items(value):
    if isinstance(value, Iterator):
        return value.items
    if isinstance(value, Slice):
        return value.iter().items
    return list(value)

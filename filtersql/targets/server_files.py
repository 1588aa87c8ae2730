"""The files that a Spark server reads by URLs: listed and copied in SQL.

Example
    ServerFiles(ask).files("s3a://lake/changes/*.jsonl")       [("s3a://lake/…", 17, 1700…)]

    A file of the server's own disks has a URL, too: file:///srv/changes/*.jsonl. Spark passes over
    files that are empty, or whose names begin with _ or a dot.

Spark
    BinaryFileFormat.scala; HadoopFSUtils.scala, shouldFilterOutPathName()
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from sqlglot import exp, select

from filtersql.errors import Mistakes
from filtersql.errors.feeds import FILE_CHANGED
from filtersql.errors.targets import UNSUPPORTED_TARGET
from filtersql.targets.server_cluster import ServerCluster
from filtersql.targets.server_work import write_pieces

__all__ = ["ServerFiles"]

#: so many bytes of a file in a row, and so many files in a query
_PIECE = 32 * 2**10
_FILES = 100
#: the scheme of a URL, and whose it is: file://, file:, s3a://lake
_ROOT = re.compile(r"\A[^:/]+:(?://[^/]*)?")
_FOLDERS_IN_BRACES = re.compile(r"\{[^}]*/")
#: what is no plain character in Hadoop's wildcards
_WILD = re.compile(r"([\\*?\[\]{},])")


class ServerFiles(Struct, frozen=True):
    """What a server reads, as `targets.workers.Store` has it; `ask` gives the rows of a query.

    Where its processes see a folder of this machine, they write the files to it.
    """

    ask: Callable[[str], Iterator[Sequence[object]]]
    cluster: ServerCluster | None = None

    def files(self, pattern: str) -> list[tuple[str, int, int]]:
        """The files that a URL with Hadoop's wildcards names. Raises Mistakes."""
        if _FOLDERS_IN_BRACES.search(pattern):
            what = f'"{pattern}" with folders inside of braces'
            hint = "Name the folder, or match it with *."
            raise Mistakes([UNSUPPORTED_TARGET(what=what, hint=hint)])
        written = exp.func("UNIX_MILLIS", exp.column("modificationTime"))
        query = select("path", "length", written).from_(_files(pattern))
        try:
            found = list(self.ask(query.sql("spark")))
        except Mistakes as refused:
            if "[PATH_NOT_FOUND]" in refused.mistakes[0].message:
                return []
            raise
        # Of a folder that the pattern names Spark reads the files.
        depth = _depth(pattern)
        told = [(str(path), int(str(size)), int(str(time))) for path, size, time in found]
        return [each for each in told if _depth(each[0]) == depth]

    def fetch(self, copies: Mapping[str, Path]) -> None:
        """Copy the files of some URLs to paths of this machine. Raises Mistakes."""
        folders: defaultdict[str, list[str]] = defaultdict(list)
        for url in copies:
            folders[url.rpartition("/")[0]].append(url)
        for folder, urls in folders.items():
            for first in range(0, len(urls), _FILES):
                some = urls[first : first + _FILES]
                names = ",".join(_literal(url.rpartition("/")[2]) for url in some)
                pattern = f"{_literal(folder)}/{{{names}}}"
                wanted, pieces = {url: copies[url] for url in some}, _pieces(pattern)
                told = None if self.cluster is None else self.cluster.copied(pieces, wanted)
                told = self._copied(pieces, wanted) if told is None else told
                whole = {url for url, size, written in told if size == written}
                if lost := [url for url in some if url not in whole]:
                    raise Mistakes(FILE_CHANGED(path=url) for url in lost)

    def _copied(self, pieces: str, copies: Mapping[str, Path]) -> list[tuple[str, int, int]]:
        """Copy some files, a piece at a time, as `ServerCluster.copied` does."""
        for path in copies.values():
            path.unlink(missing_ok=True)  # what was begun elsewhere
        ((_, told),) = write_pieces(copies, self.ask(pieces))
        return told


def _files(pattern: str) -> exp.Table:
    """The files that a URL names, as a table."""
    name, kind = (exp.to_identifier(part, quoted=True) for part in (pattern, "binaryFile"))
    return exp.Table(this=name, db=kind)


def _pieces(pattern: str) -> str:
    """A query of the pieces of files: path, size, where each begins, and its bytes as base64."""
    places = exp.func(
        "SEQUENCE",
        exp.cast(0, "bigint"),
        exp.column("length") - 1,
        exp.cast(_PIECE, "bigint"),
        dialect="spark",
    )
    cut = select("path", "length", "content", exp.func("EXPLODE", places).as_("place"))
    begin = exp.cast(exp.column("place") + 1, "int")
    piece = exp.func("SUBSTRING", exp.column("content"), begin, exp.convert(_PIECE))
    query = select("path", "length", "place", exp.func("BASE64", piece, dialect="spark"))
    return query.from_(cut.from_(_files(pattern)).subquery("files")).sql("spark")


def _literal(name: str) -> str:
    """A name in which nothing is a wildcard."""
    return _WILD.sub(r"\\\1", name)


def _depth(url: str) -> int:
    """How many folders lead to a file, which may be written with one slash too many."""
    return len([part for part in _ROOT.sub("", url).split("/") if part])

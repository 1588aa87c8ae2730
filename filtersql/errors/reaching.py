"""Mistakes of a machine that lacks what an output needs; the hint is the command that mends it."""

from __future__ import annotations

from functools import partial

from filtersql.errors.wording import Wording

_outside = partial(Wording, exit_code=2)

JAVA_MISSING = _outside("could not reach Spark", detail="{reason:stop}", hint="{remedy}")
JAVA_TOO_OLD = _outside(
    "could not reach Spark",
    detail="Spark needs Java 17 or newer, and {path} is Java {version:stop}",
    hint="{remedy}",
)
# A Java that was cut down to what one program needs, as packages of Python ship it.
JAVA_CUT_DOWN = _outside(
    "could not reach Spark",
    detail="{reason:stop} This Java was made without modules that Spark needs.",
    hint="{remedy}",
)
JARS_MISSING = _outside(
    "could not reach Spark",
    detail="The jars {coordinates} are not cached and could not be resolved: {reason:stop}",
    hint="Allow access to a Maven repository once: a mirror stands in the output as spark_conf: "
    "{{spark.jars.repositories: …}}. Or run filtersql debug where there is one, and "
    "copy the jars from its cache into {cache} here, or anywhere: an output may name the files, "
    'jars: ["path/to.jar"].',
)
# A file of an output's `jars`. Spark would start without it and miss its classes later.
JAR_NOT_THERE = _outside(
    'jar file "{path}" does not exist', hint="A path of `jars` starts at the project's folder."
)
# Executors on other machines, which read what this process stages.
UNSEEN_FOLDER = _outside(
    "Spark's executors do not see the folder of temporary files",
    detail="What a run stages is read by them, and {folder} is this machine's own.",
    hint="Set TMPDIR to a folder that this machine and the executors share.",
)
# Java ended while it was at work: its own errors are in what it printed, if anywhere.
SPARK_ENDED = _outside(
    "Spark ended in the middle of its work",
    detail="Its Java was killed, or had too little memory.",
    hint="Run again: the next run finishes what this one began. If Spark ends again, give it more "
    "memory: spark_conf: {{spark.driver.memory: 4g}}.",
)
MISSING_EXTRA = _outside(
    "could not reach Spark",
    detail="{what} needs packages that are not installed.",
    hint='Install them: pip install "filtersql[{extra}]".',
)
NOTHING_LISTENS = _outside(
    "could not reach {engine}",
    detail="{place} refused the connection: nothing listens there.",
    hint="{remedy}",
)
HOST_UNKNOWN = _outside(
    "could not reach {engine}",
    detail="No host of the name in {place} is known: {reason:stop}",
    hint="Compare host and port of the output with the server's.",
)
# Where the ledger is to be: the catalog refused the schema, or a table in it.
STATE_REFUSED = _outside(
    'filtersql cannot keep its state in schema "{name}"',
    detail="{reason:stop}",
    hint="Let who may do so make the schema, and allow this user to make, read and write tables in "
    "it; or name another one in the output: state_schema: NAME.",
)

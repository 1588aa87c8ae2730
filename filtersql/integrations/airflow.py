"""The subscriptions of a project as tasks of Airflow.

Example
    with DAG("shop", schedule="@hourly"):
        filtersql_tasks(Project.load("/srv/shop"), retries=2)

Parsing the DAG opens no engine. Another try is a `retry`, of which Airflow says what failed:
target/run_results.json is that of whichever task ended last, on whichever worker.
"""

from __future__ import annotations

import logging

from airflow.exceptions import AirflowException
from airflow.sdk import BaseOperator, Context, TaskGroup

from filtersql.api.listener import Event
from filtersql.api.project import Project
from filtersql.errors import Mistakes

__all__ = ["FiltersqlRunOperator", "filtersql_tasks"]

_COUNTS = ("rows_inserted", "rows_updated", "rows_deleted", "quarantined")


class FiltersqlRunOperator(BaseOperator):
    """Runs a subscription, and gives the counts of all its targets as its XCom.

    Raises AirflowException with all mistakes where a target fails, when the others have ended.
    """

    def __init__(self, *, project: Project, subscription: str, **operator: object) -> None:
        super().__init__(**operator)
        self.project = project
        self.subscription = subscription

    def execute(self, context: Context) -> dict[str, int]:
        """What Airflow calls for each try."""
        first = context["ti"].try_number == 1
        work = self.project.run if first else self.project.retry
        try:
            done = work(select=f"subscription:{self.subscription}", on_event=self._log)
        except Mistakes as mistakes:
            raise AirflowException(str(mistakes)) from mistakes
        sums = {name: sum(getattr(one, name) for one in done.results) for name in _COUNTS}
        return {"targets": len(done.results), **sums}

    def _log(self, event: Event) -> None:
        self.log.log(logging.getLevelNamesMapping()[event.level.upper()], "%s", event.message)


def filtersql_tasks(
    project: Project, *, group_id: str = "filtersql", **operator: object
) -> TaskGroup:
    """A group with a task for each subscription that has a target, named as the subscription.

    Further arguments are those of every task, such as `retries` and `pool`. Raises Mistakes where
    the project cannot be read.
    """
    targets = [node for node in project.ls().nodes if node.resource_type == "target"]
    with TaskGroup(group_id) as group:
        for (name,) in dict.fromkeys(tuple(target.subscriptions) for target in targets):
            FiltersqlRunOperator(task_id=name, project=project, subscription=name, **operator)
    return group

"""Settings of Spark for tables of a few rows: one part of everything, and nothing done ahead.

No result depends on them. They are given with a project's spark_conf, so other sessions of the
process stay as they are.
"""

from __future__ import annotations

import json

from filtersql.targets.splitting import FOR_SMALL

__all__ = ["AROUND_SMALL", "LAKES", "SMALL"]

#: what filtersql leaves as it is where all is small
AROUND_SMALL = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "1000",
    # Iceberg's MERGE asks first which files it changes.
    "spark.sql.optimizer.runtime.rowLevelOperationGroupFilter.enabled": "false",
    "spark.databricks.delta.allFilesInCrc.enabled": "false",
}
SMALL = {
    **FOR_SMALL,
    **AROUND_SMALL,
    # Without them two writers of one table meet more often; where there is one, it does not matter.
    "spark.databricks.delta.stats.collect": "false",
    "spark.databricks.delta.stats.skipping": "false",
    # The source of a MERGE is a file that stays as it is.
    "spark.databricks.delta.merge.materializeSource": "none",
}

#: outputs of a profile: the folders of Delta and of Iceberg in that of the project
LAKES = f"""\
    delta: &delta {{type: spark, method: session, format: delta, warehouse: warehouse, threads: 2,
                   spark_conf: {json.dumps(SMALL)}}}
    iceberg: {{<<: *delta, format: iceberg, catalog: lake,
              catalog_config: {{type: hadoop, warehouse: lakehouse}}}}
"""

{#- The query of the MERGE: the rows that a batch writes.

    Prints: with a key (keyed), one row for each key that the batch touches; without one, a row for each
    copy that is added (an ordinal above 0), and one that takes all copies away (ordinal 0).
    Branches on: adds_only (nothing finds a row of the target, so rows are only added), keyed,
    skips_missing and keeps_existing (changes that meet the wrong state are skipped), completes (a value
    that a change of a key left out is taken from the row under the old key), truncates, expires.
    Override: keep the columns of the rows, and `WITH`, in which a run finds its costly parts. -#}
{%- from "sides.sql" import leaving_copies, present_rows, still_there -%}
WITH{% if plan.keyed and (plan.skips_missing or plan.completes) %} RECURSIVE{% endif %}
    {% include "changes.sql" %}
{%- if plan.adds_only %}

    SELECT
{%- for column in plan.columns %}
        {{ column.new }} AS {{ column.name }},
{%- endfor %}
        1 AS {{ plan.copy_ordinal }}
    FROM transformed
    WHERE {{ plan.effect }} <> 'nothing'
{%- if plan.truncates %}
    UNION ALL
    -- A TRUNCATE deletes every row that the target holds.
    SELECT DISTINCT
{%- for column in plan.columns %}
        present.{{ column.name }},
{%- endfor %}
        0 AS {{ plan.copy_ordinal }}
    FROM {{ present_rows(plan) }}
    CROSS JOIN truncated
{%- if plan.expires %}
    WHERE {{ still_there(plan) }}
{%- endif %}
{%- endif %}
{{- leaving_copies(plan) }}
{%- elif not plan.keyed %},

    {% include "copies.sql" %}
{%- elif plan.completes %},

    {% include "not_skipped.sql" %},

    {% include "completed.sql" %}
{%- elif plan.keeps_existing %},

    {% include "not_skipped.sql" %},

    {% include "net.sql" %}
{%- elif plan.skips_missing %},

    {% include "events.sql" %},

    {% include "skipping.sql" %},

    {% include "net.sql" %}
{%- else %},

    {% include "events.sql" %},

    {% include "net.sql" %}
{%- endif %}

{#- Where a change is skipped that meets the wrong state: an INSERT of a row that exists, an UPDATE or
    DELETE of one that is missing, a change of the key to one that exists. What a change of the key
    meets may hang on earlier ones; such changes are judged in their order, all others by a window. -#}
{% include "events_held.sql" %},
  steps AS (
    -- What happened under a key before and after each change that may add or remove its row.
    SELECT
      {{ plan.effect }},
      {{ plan.change_seq }},
      LAG({{ plan.effect }}) OVER (PARTITION BY {{ plan.key | join(", ") }} ORDER BY {{ plan.change_seq }}) AS {{ plan.previous_effect }},
      LAG({{ plan.change_seq }}) OVER (PARTITION BY {{ plan.key | join(", ") }} ORDER BY {{ plan.change_seq }}) AS {{ plan.previous_seq }},
      LEAD({{ plan.effect }}) OVER (PARTITION BY {{ plan.key | join(", ") }} ORDER BY {{ plan.change_seq }}) AS {{ plan.next_effect }}
    FROM events
    WHERE {{ plan.effect }} <> 'update'
  ),
  moves AS (
    -- Changes of a key: what they find under the old key and under the new one.
    SELECT
      {{ plan.change_seq }},
      MAX(CASE WHEN {{ plan.effect }} = 'left' THEN {{ plan.previous_effect }} END) AS {{ plan.old_effect }},
      MAX(CASE WHEN {{ plan.effect }} = 'left' THEN {{ plan.previous_seq }} END) AS {{ plan.old_seq }},
      MAX(CASE WHEN {{ plan.effect }} = 'arrived' THEN {{ plan.previous_effect }} END) AS {{ plan.new_effect }},
      MAX(CASE WHEN {{ plan.effect }} = 'arrived' THEN {{ plan.previous_seq }} END) AS {{ plan.new_seq }},
      MAX(CASE WHEN {{ plan.previous_effect }} IN ('left', 'arrived') OR {{ plan.next_effect }} IN ('left', 'arrived') THEN 1 ELSE 0 END) AS {{ plan.linked }}
    FROM steps
    WHERE {{ plan.effect }} IN ('left', 'arrived')
    GROUP BY {{ plan.change_seq }}
  ),
  links AS (
    -- Those that a change of the key precedes or follows, under either key.
    SELECT
      *,
      ROW_NUMBER() OVER (ORDER BY {{ plan.change_seq }}) AS {{ plan.place }}
    FROM moves
    WHERE {{ plan.linked }} = 1
  ),
  inputs AS (
    -- The text of all outcomes begins with 01. Each link adds two characters: whether there is a
    -- row under its old key afterwards, and under its new one. Here: which two decide a link.
    SELECT
      links.{{ plan.change_seq }},
      links.{{ plan.place }},
      CASE
        WHEN links.{{ plan.old_effect }} IN ('held', 'insert') THEN 2
        WHEN links.{{ plan.old_effect }} = 'left' THEN 2 * before_old.{{ plan.place }} + 1
        WHEN links.{{ plan.old_effect }} = 'arrived' THEN 2 * before_old.{{ plan.place }} + 2
        ELSE 1
      END AS {{ plan.old_input }},
      CASE
        WHEN links.{{ plan.new_effect }} IN ('held', 'insert') THEN 2
        WHEN links.{{ plan.new_effect }} = 'left' THEN 2 * before_new.{{ plan.place }} + 1
        WHEN links.{{ plan.new_effect }} = 'arrived' THEN 2 * before_new.{{ plan.place }} + 2
        ELSE 1
      END AS {{ plan.new_input }}
    FROM links
    LEFT JOIN links AS before_old
      ON before_old.{{ plan.change_seq }} = links.{{ plan.old_seq }}
    LEFT JOIN links AS before_new
      ON before_new.{{ plan.change_seq }} = links.{{ plan.new_seq }}
  ),
  judged_in_order AS (
    -- A row moves if there is one under the old key and none under the new one.
    SELECT {{ plan.all_outcomes }} AS {{ plan.outcomes }}
    FROM inputs
  ),
  verdicts AS (
    SELECT
      inputs.{{ plan.change_seq }},
      SUBSTR(judged_in_order.{{ plan.outcomes }}, inputs.{{ plan.old_input }}, 1) = '1' AS {{ plan.old_found }},
      SUBSTR(judged_in_order.{{ plan.outcomes }}, inputs.{{ plan.new_input }}, 1) = '1' AS {{ plan.new_found }}
    FROM inputs
    CROSS JOIN judged_in_order
    UNION ALL
    SELECT
      {{ plan.change_seq }},
      COALESCE({{ plan.old_effect }} IN ('held', 'insert'), FALSE),
      COALESCE({{ plan.new_effect }} IN ('held', 'insert'), FALSE)
    FROM moves
    WHERE {{ plan.linked }} = 0
  ),
  possible AS (
    -- All changes but those of a key that move no row.
    SELECT *
    FROM events
    WHERE {{ plan.effect }} NOT IN ('left', 'arrived')
      OR {{ plan.change_seq }} IN (SELECT {{ plan.change_seq }} FROM verdicts WHERE {{ plan.old_found }} AND NOT {{ plan.new_found }})
  ),
  found_under_key AS (
    -- Whether a change finds a row under its key.
    SELECT
      *,
      COALESCE({{ plan.found_before }} OVER (PARTITION BY {{ plan.key | join(", ") }} ORDER BY {{ plan.change_seq }} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), FALSE) AS {{ plan.row_found }}
    FROM possible
  )

{#- As merge_source_unchanged, for a batch in which a change of a key left a value out. -#}
WITH RECURSIVE
    {% include "truncated.sql" %},

    {% include "changes.sql" %},

    {% include "not_skipped.sql" %},

    {% include "completed.sql" %}

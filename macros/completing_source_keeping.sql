{#- As merge_source_keeping, for a batch in which a change of a key left a value out. -#}
WITH RECURSIVE
    {% include "truncated.sql" %},

    {% include "changes.sql" %},

    {% include "not_skipped_keeping.sql" %},

    {% include "completed.sql" %}

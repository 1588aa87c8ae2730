{#- The effect; a change of the key is one that left and one that arrived. #}
            {% include "moved_case.sql" %} AS {{ plan.effect }}

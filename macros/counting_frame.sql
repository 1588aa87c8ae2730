{#- All changes of a key, in the order of the query's own window: engines then sort them once. -#}
{{ plan.key_partition | join("\n                ") }}
                ORDER BY {{ plan.change_seq }}{{ counting.order }}
                ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING

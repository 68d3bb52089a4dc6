{#- A check holds when its model has no rows; the rows are the broken promises. -#}
{% test is_empty(model) %}
select * from {{ model }} limit 100
{% endtest %}

-- Generated from python_hooks/codelake/semantic/catalog/flow.py, digest 5da671ec.
-- Do not edit: run `codelake compile`.
with

flow_edges as (

    select * from {{ ref('flow_edges') }}

),

reaching_definitions as (

    select
        'REACHES' as edge_kind,
        src_node_id,
        dst_node_id,
        label,
        cast(null as int) as ordinal,
        repo,
        path,
        file_id,
        cast(null as int) as bstart,
        cast(null as int) as bend,
        'flow' as origin,
        found.method,
        1 as rank,
        cast(null as bigint) as ambiguity_group_id
    from flow_edges
        lateral view explode(array(
            -- names_reached
            case
                when kind = 'REACHES' and reach_kind in ('name', 'closure')
                    then struct('reaching_definition' as method)
            end,
            -- places_reached
            case
                when kind = 'REACHES' and reach_kind not in ('name', 'closure')
                    then struct('reaching_place' as method)
            end
        )) branches as found
    where found is not null

)

select * from reaching_definitions

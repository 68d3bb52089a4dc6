-- Generated from python_hooks/codelake/semantic/catalog/props.py, digest 8463d4a6.
-- Do not edit: run `codelake compile`.
with

cpg_edges as (

    select * from {{ ref('cpg_edges') }}

),

edges_by_dst as (

    select
        edge_id,
        edge_kind,
        src_node_id,
        dst_node_id,
        label,
        ordinal,
        repo,
        path,
        file_id,
        bstart,
        bend,
        origin,
        method,
        confidence,
        score,
        rank,
        ambiguity_group_id,
        attrs
    from cpg_edges

)

select * from edges_by_dst

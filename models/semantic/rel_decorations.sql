-- Generated from python_hooks/codelake/semantic/catalog/syntax.py, digest ff2de948.
-- Do not edit: run `codelake compile`.
with

ast_nodes as (

    select * from {{ ref('ast_nodes') }}

),

decorations as (

    select
        'DECORATES' as edge_kind,
        node_id as src_node_id,
        parent_id as dst_node_id,
        '' as label,
        idx as ordinal,
        repo,
        path,
        file_id,
        bstart,
        bend,
        'ast' as origin,
        'syntax' as method,
        1 as rank,
        cast(null as bigint) as ambiguity_group_id
    from ast_nodes
    where kind = 'DECORATOR' and parent_id is not null

)

select * from decorations

-- Generated from python_hooks/codelake/semantic/catalog/syntax.py, digest 786b1584.
-- Do not edit: run `codelake compile`.
with

ast_nodes as (

    select * from {{ ref('ast_nodes') }}

),

syntax_tree as (

    select
        'AST' as edge_kind,
        parent_id as src_node_id,
        node_id as dst_node_id,
        coalesce(slot, '') as label,
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
    where parent_id is not null

)

select * from syntax_tree

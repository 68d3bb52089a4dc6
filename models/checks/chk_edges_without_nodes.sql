-- Generated from python_hooks/codelake/semantic/catalog/checks.py, digest 3d604139.
-- Do not edit: run `codelake compile`.
with

cpg_edges as (

    select * from {{ ref('cpg_edges') }}

),

cpg_nodes as (

    select * from {{ ref('cpg_nodes') }}

),

ends as (

    select
        edge_id,
        edge_kind,
        found.missing_end,
        found.node_id
    from cpg_edges
        lateral view explode(array(
            -- src_ends
            struct('src' as missing_end, src_node_id as node_id),
            -- dst_ends
            struct('dst' as missing_end, dst_node_id as node_id)
        )) branches as found

),

edges_without_nodes as (

    select
        ends.edge_id,
        ends.edge_kind,
        ends.missing_end,
        ends.node_id
    from ends
    left anti join cpg_nodes
        on ends.node_id = cpg_nodes.node_id

)

select * from edges_without_nodes

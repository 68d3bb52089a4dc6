-- Generated from python_hooks/codelake/semantic/catalog/flow.py, digest c38d38b5.
-- Do not edit: run `codelake compile`.
with

evidence as (

    select * from {{ ref('evidence') }}

),

flow_edges_of_files as (

    select
        repo,
        path,
        file_id,
        ast_defs.def_id as def_ids,
        flow_edges
    from evidence

),

flow_edges_seen as (

    select
        repo,
        path,
        file_id,
        edge.kind,
        if(
            edge.src_ordinal = 0,
            def_ids[edge.src_def_no],
            xxhash64(def_ids[edge.src_def_no], edge.src_ordinal)
        ) as src_node_id,
        if(
            edge.dst_ordinal = 0,
            def_ids[edge.dst_def_no],
            xxhash64(def_ids[edge.dst_def_no], edge.dst_ordinal)
        ) as dst_node_id,
        edge.label,
        edge.reach_kind,
        edge.is_loop_carried
    from flow_edges_of_files
        lateral view explode(flow_edges) flow_edges_exploded as edge

)

select * from flow_edges_seen

-- Generated from python_hooks/codelake/semantic/catalog/flow.py, digest 121411fa.
-- Do not edit: run `codelake compile`.
with

evidence as (

    select * from {{ ref('evidence') }}

),

flow_reaches_of_files as (

    select
        repo,
        path,
        file_id,
        ast_defs.def_id as def_ids,
        flow_reaches
    from evidence

),

flow_reaching_definitions_seen as (

    select
        repo,
        path,
        file_id,
        if(
            reach.src_ordinal = 0,
            def_ids[reach.src_def_no],
            xxhash64(def_ids[reach.src_def_no], reach.src_ordinal)
        ) as src_node_id,
        if(
            reach.dst_ordinal = 0,
            def_ids[reach.dst_def_no],
            xxhash64(def_ids[reach.dst_def_no], reach.dst_ordinal)
        ) as dst_node_id,
        reach.variable,
        reach.kind,
        reach.is_loop_carried
    from flow_reaches_of_files
        lateral view explode(flow_reaches) flow_reaches_exploded as reach

)

select * from flow_reaching_definitions_seen

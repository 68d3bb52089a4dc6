-- Generated from python_hooks/codelake/semantic/catalog/flow.py, digest fce8735b.
-- Do not edit: run `codelake compile`.
with

evidence as (

    select * from {{ ref('evidence') }}

),

flow_controls_of_files as (

    select
        repo,
        path,
        file_id,
        ast_defs.def_id as def_ids,
        flow_controls
    from evidence

),

flow_control_dependences_seen as (

    select
        repo,
        path,
        file_id,
        if(
            control.src_ordinal = 0,
            def_ids[control.src_def_no],
            xxhash64(def_ids[control.src_def_no], control.src_ordinal)
        ) as src_node_id,
        if(
            control.dst_ordinal = 0,
            def_ids[control.dst_def_no],
            xxhash64(def_ids[control.dst_def_no], control.dst_ordinal)
        ) as dst_node_id,
        control.label as branch
    from flow_controls_of_files
        lateral view explode(flow_controls) flow_controls_exploded as control

)

select * from flow_control_dependences_seen

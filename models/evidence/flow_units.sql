-- Generated from python_hooks/codelake/semantic/catalog/flow.py, digest 029fde9b.
-- Do not edit: run `codelake compile`.
with

evidence as (

    select * from {{ ref('evidence') }}

),

flow_units_of_files as (

    select
        repo,
        path,
        file_id,
        ast_defs.def_id as def_ids,
        flow_units
    from evidence

),

flow_units_seen as (

    select
        repo,
        path,
        file_id,
        if(
            unit.node_ordinal = 0,
            def_ids[unit.node_def_no],
            xxhash64(def_ids[unit.node_def_no], unit.node_ordinal)
        ) as unit_id,
        unit.kind,
        if(
            unit.entry_ordinal = 0,
            def_ids[unit.node_def_no],
            xxhash64(def_ids[unit.node_def_no], unit.entry_ordinal)
        ) as entry_id,
        if(
            unit.exit_ordinal = 0,
            def_ids[unit.node_def_no],
            xxhash64(def_ids[unit.node_def_no], unit.exit_ordinal)
        ) as exit_id,
        unit.blocks,
        unit.branches
    from flow_units_of_files
        lateral view explode(flow_units) flow_units_exploded as unit

)

select * from flow_units_seen

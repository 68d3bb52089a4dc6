-- Generated from python_hooks/codelake/semantic/catalog/flow.py, digest 803453c4.
-- Do not edit: run `codelake compile`.
with

evidence as (

    select * from {{ ref('evidence') }}

),

flow_blocks_of_files as (

    select
        repo,
        path,
        file_id,
        ast_defs.def_id as def_ids,
        flow_blocks
    from evidence

),

flow_blocks_seen as (

    select
        repo,
        path,
        file_id,
        if(
            block.unit_ordinal = 0,
            def_ids[block.unit_def_no],
            xxhash64(def_ids[block.unit_def_no], block.unit_ordinal)
        ) as unit_id,
        block.block_no,
        if(
            block.first_ordinal = 0,
            def_ids[block.first_def_no],
            xxhash64(def_ids[block.first_def_no], block.first_ordinal)
        ) as first_node_id,
        if(
            block.last_ordinal = 0,
            def_ids[block.last_def_no],
            xxhash64(def_ids[block.last_def_no], block.last_ordinal)
        ) as last_node_id,
        block.size,
        block.is_reachable,
        block.idom_block,
        block.ipdom_block
    from flow_blocks_of_files
        lateral view explode(flow_blocks) flow_blocks_exploded as block

)

select * from flow_blocks_seen

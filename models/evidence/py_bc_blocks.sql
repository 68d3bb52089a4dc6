-- Generated from python_hooks/codelake/semantic/catalog/bytecode.py, digest ea5ec5f6.
-- Do not edit: run `codelake compile`.
with

evidence_bytecode as (

    select * from {{ ref('evidence_bytecode') }}

),

bc_blocks_of_files as (

    select
        repo,
        path,
        file_id,
        bc_units.unit_path as unit_paths,
        bc_blocks
    from evidence_bytecode

),

py_bc_blocks_seen as (

    select
        repo,
        path,
        file_id,
        xxhash64(file_id, 'code', unit_paths[block.unit_no]) as code_unit_id,
        block.block_no,
        block.first_instr,
        block.last_instr,
        block.kind,
        block.is_reachable
    from bc_blocks_of_files
        lateral view explode(bc_blocks) bc_blocks_exploded as block

)

select * from py_bc_blocks_seen

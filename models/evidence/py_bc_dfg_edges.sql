-- Generated from python_hooks/codelake/semantic/catalog/bytecode.py, digest 5446ef15.
-- Do not edit: run `codelake compile`.
with

evidence_bytecode as (

    select * from {{ ref('evidence_bytecode') }}

),

bc_stack_uses_of_files as (

    select
        repo,
        path,
        file_id,
        bc_units.unit_path as unit_paths,
        bc_stack_uses
    from evidence_bytecode

),

py_bc_dfg_edges_seen as (

    select
        repo,
        path,
        file_id,
        xxhash64(file_id, 'code', unit_paths[stack_use.unit_no]) as code_unit_id,
        xxhash64(
            xxhash64(file_id, 'code', unit_paths[stack_use.unit_no]),
            stack_use.def_instr
        ) as def_instr_id,
        stack_use.def_result,
        xxhash64(
            xxhash64(file_id, 'code', unit_paths[stack_use.unit_no]),
            stack_use.use_instr
        ) as use_instr_id,
        stack_use.operand
    from bc_stack_uses_of_files
        lateral view explode(bc_stack_uses) bc_stack_uses_exploded as stack_use

)

select * from py_bc_dfg_edges_seen

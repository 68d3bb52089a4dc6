-- Generated from python_hooks/codelake/semantic/catalog/bytecode.py, digest 3d36ff6b.
-- Do not edit: run `codelake compile`.
with

evidence_bytecode as (

    select * from {{ ref('evidence_bytecode') }}

),

bc_instructions_of_files as (

    select
        repo,
        path,
        file_id,
        bc_units.unit_path as unit_paths,
        bc_instructions
    from evidence_bytecode

),

py_bc_instructions_seen as (

    select
        repo,
        path,
        file_id,
        xxhash64(xxhash64(file_id, 'code', unit_paths[instr.unit_no]), instr.instr_no) as instr_id,
        xxhash64(file_id, 'code', unit_paths[instr.unit_no]) as code_unit_id,
        instr.instr_no,
        instr.offset,
        instr.opname,
        instr.opcode,
        instr.arg,
        instr.arg_kind,
        instr.arg_int,
        instr.arg_double,
        instr.arg_str,
        instr.arg_str2,
        instr.arg_bool,
        instr.const_type,
        instr.is_cut,
        instr.arg_repr,
        instr.jump_target,
        instr.is_jump_target,
        instr.starts_line,
        instr.stack_depth,
        instr.bstart,
        instr.bend,
        instr.line,
        instr.end_line,
        instr.col,
        instr.end_col
    from bc_instructions_of_files
        lateral view explode(bc_instructions) bc_instructions_exploded as instr

)

select * from py_bc_instructions_seen

-- Generated from python_hooks/codelake/semantic/catalog/bytecode.py, digest e9664e02.
-- Do not edit: run `codelake compile`.
with

evidence_bytecode as (

    select * from {{ ref('evidence_bytecode') }}

),

bc_exceptions_of_files as (

    select
        repo,
        path,
        file_id,
        bc_units.unit_path as unit_paths,
        bc_exceptions
    from evidence_bytecode

),

py_bc_exception_table_seen as (

    select
        repo,
        path,
        file_id,
        xxhash64(file_id, 'code', unit_paths[entry.unit_no]) as code_unit_id,
        entry.entry_no,
        entry.start_instr,
        entry.end_instr,
        entry.target_instr,
        entry.depth,
        entry.lasti
    from bc_exceptions_of_files
        lateral view explode(bc_exceptions) bc_exceptions_exploded as entry

)

select * from py_bc_exception_table_seen

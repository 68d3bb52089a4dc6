-- Generated from python_hooks/codelake/semantic/catalog/bytecode.py, digest 5beabc95.
-- Do not edit: run `codelake compile`.
with

evidence_bytecode as (

    select * from {{ ref('evidence_bytecode') }}

),

bc_lines_of_files as (

    select
        repo,
        path,
        file_id,
        bc_units.unit_path as unit_paths,
        bc_lines
    from evidence_bytecode

),

py_bc_line_table_seen as (

    select
        repo,
        path,
        file_id,
        xxhash64(file_id, 'code', unit_paths[entry.unit_no]) as code_unit_id,
        entry.start_offset,
        entry.end_offset,
        entry.line
    from bc_lines_of_files
        lateral view explode(bc_lines) bc_lines_exploded as entry

)

select * from py_bc_line_table_seen

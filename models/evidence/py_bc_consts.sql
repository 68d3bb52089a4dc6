-- Generated from python_hooks/codelake/semantic/catalog/bytecode.py, digest d47efc02.
-- Do not edit: run `codelake compile`.
with

evidence_bytecode as (

    select * from {{ ref('evidence_bytecode') }}

),

bc_consts_of_files as (

    select
        repo,
        path,
        file_id,
        bc_units.unit_path as unit_paths,
        bc_consts
    from evidence_bytecode

),

py_bc_consts_seen as (

    select
        repo,
        path,
        file_id,
        xxhash64(file_id, 'code', unit_paths[const.unit_no]) as code_unit_id,
        const.const_no,
        const.const_type,
        const.int_value,
        const.double_value,
        const.str_value,
        const.bool_value,
        const.is_cut,
        const.value_repr,
        const.items
    from bc_consts_of_files
        lateral view explode(bc_consts) bc_consts_exploded as const

)

select * from py_bc_consts_seen

-- Generated from python_hooks/codelake/semantic/catalog/bytecode.py, digest 2309ec2e.
-- Do not edit: run `codelake compile`.
with

evidence_bytecode as (

    select * from {{ ref('evidence_bytecode') }}

),

bc_units_of_files as (

    select
        repo,
        path,
        file_id,
        def_ids,
        bc_units.unit_path as unit_paths,
        bc_units
    from evidence_bytecode

),

py_bc_code_units_seen as (

    select
        repo,
        path,
        file_id,
        xxhash64(file_id, 'code', unit.unit_path) as code_unit_id,
        case
            when unit.parent_unit_no is not null
                then xxhash64(file_id, 'code', unit_paths[unit.parent_unit_no])
        end as parent_code_unit_id,
        case
            when unit.node_ordinal is not null
                then if(
                    unit.node_ordinal = 0,
                    def_ids[unit.node_def_no],
                    xxhash64(def_ids[unit.node_def_no], unit.node_ordinal)
                )
        end as code_node_id,
        unit.unit_path,
        unit.qualname,
        unit.name,
        unit.kind,
        unit.magic,
        unit.bstart,
        unit.bend,
        unit.line,
        unit.end_line,
        unit.col,
        unit.end_col,
        unit.first_line,
        unit.argcount,
        unit.posonlyargcount,
        unit.kwonlyargcount,
        unit.nlocals,
        unit.flags as code_flags,
        unit.stacksize,
        unit.code_size,
        unit.is_generator,
        unit.is_coroutine,
        unit.is_async_generator,
        unit.varnames,
        unit.freevars,
        unit.cellvars,
        unit.names
    from bc_units_of_files
        lateral view explode(bc_units) bc_units_exploded as unit

)

select * from py_bc_code_units_seen

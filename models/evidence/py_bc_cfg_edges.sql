-- Generated from python_hooks/codelake/semantic/catalog/bytecode.py, digest e760a4a3.
-- Do not edit: run `codelake compile`.
with

evidence_bytecode as (

    select * from {{ ref('evidence_bytecode') }}

),

bc_edges_of_files as (

    select
        repo,
        path,
        file_id,
        bc_units.unit_path as unit_paths,
        bc_edges
    from evidence_bytecode

),

py_bc_cfg_edges_seen as (

    select
        repo,
        path,
        file_id,
        xxhash64(file_id, 'code', unit_paths[edge.unit_no]) as code_unit_id,
        edge.src_block,
        edge.dst_block,
        edge.kind,
        edge.instr_no as deciding_instr,
        edge.entry_no
    from bc_edges_of_files
        lateral view explode(bc_edges) bc_edges_exploded as edge

)

select * from py_bc_cfg_edges_seen

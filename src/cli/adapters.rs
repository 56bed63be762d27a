//! `drystone adapters`.

use crate::console;
use crate::failure::Failure;

/// Lists the adapters, the preferred one first.
#[cfg(feature = "gpu")]
pub(crate) fn adapters() -> Result<(), Failure> {
    let found = drystone::solver::gpu::list_adapters();
    if found.is_empty() {
        return Ok(console::out(
            "No GPU adapter was found; runs use the CPU.\n",
        )?);
    }
    let mut rows = vec![console::names([
        "name",
        "interface",
        "type",
        "driver",
        "use",
    ])];
    for adapter in &found {
        let used = match (adapter.usable, adapter.software) {
            (false, _) => "no: it cannot run the kernels",
            (true, true) => "software: only by name (--adapter)",
            (true, false) => "yes",
        };
        rows.push(vec![
            adapter.name.clone(),
            adapter.backend.clone(),
            adapter.device_type.clone(),
            adapter.driver.clone(),
            used.to_owned(),
        ]);
    }
    Ok(console::out(&console::table(&rows, &[]))?)
}

/// Says that there can be none.
#[cfg(not(feature = "gpu"))]
pub(crate) fn adapters() -> Result<(), Failure> {
    Ok(console::out(
        "This program was built without GPU support; runs use the CPU.\n",
    )?)
}

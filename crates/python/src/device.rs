//! A drive that is used: bytes in, bytes out.

use std::sync::Mutex;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rewear_ftl::host::Command;
use rewear_sim::SimError;

use crate::drive::Drive;
use crate::errors::{DeviceError, InternalError, configuration_error, guarded, to_json};
use crate::whole::whole;

/// A drive with stored cells, empty at first. One request is served after the other.
#[pyclass(frozen, module = "rewear._core")]
pub(crate) struct Device {
    device: Mutex<rewear_sim::Device>,
}

#[pymethods]
impl Device {
    #[new]
    fn new(drive: &Drive) -> PyResult<Self> {
        if drive.policy.is_some() {
            return Err(configuration_error(
                "A policy in Python is asked in replays, and a device is none. Give the drive without it.",
            ));
        }
        guarded(|| {
            let device = rewear_sim::Device::new(&drive.drive).map_err(device_error)?;
            Ok(Self { device: Mutex::new(device) })
        })
    }

    /// Bytes that can be addressed.
    #[getter]
    fn exported_bytes(&self) -> PyResult<u64> {
        self.with(|device| Ok(device.exported_bytes()))
    }

    /// Bytes of the page that the drive maps and programs.
    #[getter]
    fn page_bytes(&self) -> PyResult<usize> {
        self.with(|device| Ok(device.page_bytes()))
    }

    /// Whether overwrites are programmed in place.
    #[getter]
    fn overwrites_in_place(&self) -> PyResult<bool> {
        self.with(|device| Ok(device.overwrites_in_place()))
    }

    /// Writes `data` from `offset` on; `overwrite` promises that it only clears bits.
    fn write(&self, offset: Place, data: &[u8], overwrite: bool) -> PyResult<()> {
        let command = if overwrite { Command::Overwrite } else { Command::Write };
        self.with(|device| device.write(offset.0, data, command).map_err(device_error))
    }

    /// `length` bytes from `offset` on.
    fn read<'py>(&self, py: Python<'py>, offset: Place, length: Place) -> PyResult<Bound<'py, PyBytes>> {
        let (offset, length) = (offset.0, length.0 as usize);
        self.with(|device| {
            // Before any memory is taken.
            device.check_range(offset, length).map_err(device_error)?;
            PyBytes::new_with(py, length, |data| device.read(offset, data).map_err(device_error))
        })
    }

    /// Forgets the pages that lie wholly in a range.
    fn trim(&self, offset: Place, length: Place) -> PyResult<()> {
        self.with(|device| device.trim(offset.0, length.0 as usize).map_err(device_error))
    }

    /// Waits until everything is programmed.
    fn flush(&self) -> PyResult<()> {
        self.with(|device| device.flush().map_err(device_error))
    }

    /// JSON object of what happened so far.
    fn statistics(&self) -> PyResult<String> {
        self.with(|device| to_json(&device.statistics()))
    }
}

/// An offset or a length in bytes.
pub(crate) struct Place(u64);

impl<'a, 'py> FromPyObject<'a, 'py> for Place {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        whole(value, DeviceError::new_err::<String>).map(Self)
    }
}

impl Device {
    fn with<T>(&self, work: impl FnOnce(&mut rewear_sim::Device) -> PyResult<T>) -> PyResult<T> {
        guarded(|| {
            let broken =
                |_| InternalError::new_err("An earlier defect left this device in an unknown state.");
            work(&mut *self.device.lock().map_err(broken)?)
        })
    }
}

fn device_error(error: SimError) -> PyErr {
    match &error {
        SimError::Config(_) => configuration_error(error),
        _ => DeviceError::new_err(error.to_string()),
    }
}

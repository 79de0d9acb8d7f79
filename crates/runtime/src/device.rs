//! Which device a model runs on.

use candle_core::Device;

use crate::error::LoadError;

/// The accelerator that this was built for (features `cuda`, `metal`), or the CPU if it was built for none.
///
/// Whoever builds for an accelerator wants it used: if there is none, that is an error and not a slow model. The CPU is
/// there for the asking, as [`Device::Cpu`].
pub fn best_device() -> Result<Device, LoadError> {
    let (kind, opened) = if cfg!(feature = "cuda") {
        ("CUDA", Device::new_cuda(0))
    } else if cfg!(feature = "metal") {
        ("Metal", Device::new_metal(0))
    } else {
        return Ok(Device::Cpu);
    };
    opened.map_err(|error| LoadError::Device { kind, error })
}

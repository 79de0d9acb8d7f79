//! Which device a model runs on.

use candle_core::Device;

use crate::error::LoadError;

/// The accelerator that this was built for, if the machine has one; the CPU otherwise.
pub fn best_device() -> Result<Device, LoadError> {
    if cfg!(feature = "cuda") && candle_core::utils::cuda_is_available() {
        return Ok(Device::new_cuda(0)?);
    }
    if cfg!(feature = "metal") && candle_core::utils::metal_is_available() {
        return Ok(Device::new_metal(0)?);
    }
    Ok(Device::Cpu)
}

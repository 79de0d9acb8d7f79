//! Says to the files of the engine that are compiled here that their atomics are loom's.

fn main() {
    println!("cargo::rustc-cfg=loom");
    println!("cargo::rerun-if-changed=build.rs");
}

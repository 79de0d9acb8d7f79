//! Nothing but its manifest: being a default member of the workspace, it turns the feature `dev` of the command on in what is built
//! from a clone.

//! Index newtypes. They refuse overflow instead of wrapping: an arena that is full is a limit, not a bug.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(u32);

        impl $name {
            /// The id of the `index`-th entry; `None` once 32 bits are exhausted.
            #[inline]
            pub fn new(index: usize) -> Option<Self> {
                if index < u32::MAX as usize { Some($name(index as u32)) } else { None }
            }

            /// Position in the arena this id belongs to.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// An expression in an [`Arena`](crate::ir::Arena).
    ExprId
);
id!(
    /// A rule of a [`Grammar`](crate::ir::Grammar).
    RuleId
);
id!(
    /// An interned set of bytes.
    ByteSetId
);
id!(
    /// An interned set of code points.
    CharSetId
);
id!(
    /// An interned [`Members`](crate::ir::Members).
    MembersId
);
id!(
    /// An interned [`Machine`](crate::ir::Machine).
    MachineId
);
id!(
    /// An interned [`TokenSet`](crate::ir::TokenSet).
    TokenSetId
);

// What a kernel of blocks calls joint rows; `contact_block` is the same of contacts.
alias Block = JointBlock;
alias Impulse = f32;
alias Memory = JointMemory;

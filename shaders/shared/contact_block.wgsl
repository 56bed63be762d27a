// What a kernel of blocks calls contacts; `joint_block` is the same of joint rows.
alias Block = ContactBlock;
alias Impulse = vec4<f32>;
alias Memory = ContactMemory;

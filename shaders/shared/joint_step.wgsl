// Joint rows by the names that `contact` has for contacts: a visit, which takes all of a pair's rows, and a row's step.

fn visits_of(_rows: u32, _rebuilds: bool) -> u32 {
    return 1u;
}

// What contacts have, and no pair of joint rows is asked for.
struct Reach {
    a: f32,
    b: f32,
    friction: f32,
}

fn with_contact(reach: Reach, _row: JointBlock) -> Reach {
    return reach;
}

fn is_calm(_reach: Reach, _before_a: BodyVelocity, _before_b: BodyVelocity, _a: Copy, _b: Copy) -> bool {
    return false;
}

fn takes_all_rows(_visit: u32, _visits: u32) -> bool {
    return true;
}

fn stepped(rebuilds: bool, _takes_all: bool, block: JointBlock, impulse: f32, a: Copy, b: Copy) -> RowUpdate {
    return stepped_row(rebuilds, block, impulse, a, b);
}

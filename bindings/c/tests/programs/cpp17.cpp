// The same cube from C++17.
#include "ball.h"

int main()
{
    static_assert(sizeof(ds_body) == 64 && sizeof(ds_contact) == 64 && sizeof(ds_joint_row) == 64);
    EXPECT(ds_abi_version() == DS_ABI_VERSION);
    cube_comes_to_rest();
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

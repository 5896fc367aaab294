/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library that is linked with a vendor's SDK, which is not installed.
 */
int vendor_open(void);
__attribute__((visibility("default"))) int needy_entry(void);
int needy_entry(void)
{
    return vendor_open();
}

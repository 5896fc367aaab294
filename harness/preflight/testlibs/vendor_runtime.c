/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A vendor's SDK library, built into a folder that no library search includes.
 */
__attribute__((visibility("default"))) int vendor_open(void);
int vendor_open(void)
{
    return 0;
}

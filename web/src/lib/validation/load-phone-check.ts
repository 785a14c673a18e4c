/** Phone rules are in their own chunk, which only forms with a phone number load. */
export const loadPhoneCheck = async () => (await import('./phone')).checkPhone

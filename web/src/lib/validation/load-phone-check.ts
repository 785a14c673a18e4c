/** Phone rules come in a chunk of their own: only forms that ask for a number fetch it. */
export const loadPhoneCheck = async () => (await import('./phone')).checkPhone

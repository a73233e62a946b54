/** How every refusal says that no key, not the secret one either, does for the token of a user. No role would help there. */
export const userRefusal = 'Send the token of a user: a key, even the secret one, acts for no user.'

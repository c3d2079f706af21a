/** The purpose of a login, and of its codes. It belongs to the mount, never to a request body. */
export type Purpose = (typeof purposes)[number];

/** Every purpose. */
export const purposes = ["login", "link", "step_up", "verify"] as const;

export type Purpose = "login" | "link" | "step_up";

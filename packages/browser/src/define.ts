import { definePhoneLogin } from "./element.ts";

definePhoneLogin();
